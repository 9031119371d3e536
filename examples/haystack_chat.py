"""A pipeline of Haystack that fits a long chat to a budget before it goes to a language model."""

from haystack import Pipeline
from haystack.dataclasses import ChatMessage

from tersely.adapters.haystack import TerselyChatCompactor

CHAT = [
    ChatMessage.from_system("You plan journeys."),
    ChatMessage.from_user("I want to see Kelsby in spring. My dog comes along. I am afraid of flying."),
    ChatMessage.from_assistant("Kelsby is lovely in spring. Its harbor has no cars. Dogs ride for free on all trains."),
    ChatMessage.from_user("And where can I eat well?"),
    ChatMessage.from_assistant("Try the market hall. It is open every day. The fish is fresh."),
    ChatMessage.from_user("Does my dog need a ticket for the train?"),
]

pipeline = Pipeline()
compactor = TerselyChatCompactor(max_tokens=32, tokenizer=lambda text: len(text.split()), keep_last=1)
pipeline.add_component("chat", compactor)
for message in pipeline.run({"chat": {"messages": CHAT}})["chat"]["messages"]:
    print(f"{message.role.value}: {message.text}")
