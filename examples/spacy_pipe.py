"""A pipeline of spaCy with a summary of each text."""

from pathlib import Path

import spacy

text = Path(__file__).with_name("harbor.txt").read_text(encoding="utf-8")

nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")  # or any pipe that finds sentences, or none
nlp.add_pipe("tersely", config={"max_words": 60})

doc = nlp(text)
print(doc._.summary)
print([(sentence.start_char, sentence.end_char) for sentence in doc.spans["summary"]])
