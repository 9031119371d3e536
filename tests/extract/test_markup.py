"""Markup that people write: Markdown, LaTeX, reStructuredText and AsciiDoc lose their marks, and keep what they say."""

from extract.making import blocks, labels
from tersely.extract import extract


def test_markdown_loses_its_marks_but_keeps_what_they_say() -> None:
    found = extract(
        b"---\ntitle: x\n---\n# Fish *are*\n\nOne `red` [fish](x.html).\nIt swims.\n\n- a\n- b\n\n"
        b"> So.\n\n```\nx = 1\n  y\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## More\n\nEnd. <!-- c -->\n",
        name="a.md",
    )
    assert blocks(found) == [
        ("heading", "Fish are"),
        ("prose", "One red fish.\nIt swims."),
        ("item", "a"),
        ("item", "b"),
        ("quote", "So."),
        ("code", "x = 1\n  y"),
        ("row", "a | b"),
        ("row", "1 | 2"),
        ("heading", "More"),
        ("prose", "End."),
    ]
    assert labels(found) == [{"section": "Fish are"}, {"section": "More"}]
    assert found.document().kinds[:3] == ("heading", "prose", "prose")


def test_markdown_has_no_settings_badges_targets_or_footnotes() -> None:
    found = extract(
        b"+++\ntitle = 'x'\n+++\n# Fish [![build](b.svg)](https://x.y)\n\n[![a](a.svg)](a) ![b](b.svg)\n\n"
        b"One[^1] fish [^two] `x[^1]` [swims][d].\n\n- [ ] To do\n- [x] Done\n\nNot ~~dry~~ wet.\n\n"
        b"[^1]: A footnote.\n[^two]: Another one.\n\nThe end.\n\n[d]: http://x.y\n",
        name="a.md",
    )
    assert blocks(found) == [
        ("heading", "Fish"),
        ("prose", "One fish x[^1] swims."),
        ("item", "To do"),
        ("item", "Done"),
        ("prose", "Not wet."),
        ("caption", "A footnote.\nAnother one."),
        ("prose", "The end."),
    ]


def test_inline_code_cuts_no_sentence() -> None:
    text = b"Type `cd a. Then go.` to see it. Or say `Hi. Ann` twice. Then `x` ends."
    whole = ("Type cd a. Then go. to see it.", "Or say Hi. Ann twice.", "Then x ends.")
    assert extract(text, name="a.md").document().texts == whole
    page = b"<html><p>Type <code>cd a. Then go.</code> to see it. It was a long and rainy day in the old harbor."
    assert extract(page).document().texts[0] == whole[0]


LATEX = r"""% \begin{comment}
\documentclass{article}
\newcommand{\ours}{\textsc{Fish}\xspace}
\title{The \emph{harbor}\\ plan\thanks{Paid by nobody.}}
\begin{document}
\maketitle
\begin{abstract}It rains 5\,\% more.\end{abstract}
\section[Short]{Costs}\label{sec:c}
Caf\'e M\"uller, gar\c con and Stra\ss e; ``quoted'' --- 1--3~km.% a comment
As \ours shows in Section~\ref{sec:c}, $x_{i+1} \le \frac{a+b}{2}\sqrt{y}$
holds~\cite{a,b}. \verb|x_1 % y| is code. As seen in \cite{c}, it is \textbf{bold}\footnote{A \emph{note}.} here.
\begin{itemize}
\item[One] first thing.
\item \href{http://x.y}{A link}.
\end{itemize}
\begin{verbatim}
if { %x
\end{verbatim}
See Table~\ref{t}.

\begin{table}[h]\centering
\begin{tabular}{ll}\hline a & b \\ \hline 1 & 2 \\ \end{tabular}
\caption{A table}\label{t}
\end{table}
\input{more}
\begin{thebibliography}{9}\bibitem{a} A book.\end{thebibliography}
\end{document}
Never printed.
"""


def test_latex_loses_its_commands_but_keeps_formulas_and_what_the_commands_say() -> None:
    found = extract(LATEX.encode(), name="a.tex")
    assert blocks(found) == [
        ("heading", "The harbor plan"),
        ("heading", "Abstract"),
        ("prose", "It rains 5 % more."),
        ("heading", "Costs"),
        (
            "prose",
            "Café Müller, garçon and Straße; “quoted” — 1–3 km.\nAs Fish shows in Section 1, x_(i+1) ≤ (a+b)/2√y\n"
            "holds. x_1 % y is code. As seen in [c], it is bold here.",
        ),
        ("caption", "A note."),
        ("item", "One first thing."),
        ("item", "A link."),
        ("code", "if { %x"),
        ("prose", "See Table 1."),
        ("row", "a | b"),
        ("row", "1 | 2"),
        ("caption", "A table"),
    ]
    assert found.place(found.text.index("Fish")) == {"section": "Costs"}
    assert found.notes == ("the files that it includes are not read: more",)


def test_a_part_of_latex_without_a_preamble_is_read() -> None:
    assert blocks(extract(rb"\chapter{Rain} It rains.", name="a.tex")) == [("heading", "Rain"), ("prose", "It rains.")]


RST = """=================
The harbor plan
=================

:Author: Ann Lee

.. |fish| replace:: cod
.. _costs: http://example.org/

The *council* has **decided** that ``deep_water`` is needed [1]_. See `the
report <http://x.y>`_, costs_ or :ref:`the label <target>` of |fish|. A snake_case name.

Costs
=====

.. note:: The piers cost more.

- Piers cost
  more.

term
   What it means.

Example::

    x = 1
      y

A sentence.

   A quotation.

.. figure:: fish.png
   :alt: A fish

   A red fish.

.. a comment
   over lines

+------+-------+
| Year | Fish  |
+======+=======+
| 1990 | 12    |
|      | more  |
+------+-------+

Details
-------

=====  =====
A      B
=====  =====
1      2
=====  =====

.. [1] A footnote.
"""


def test_restructuredtext_loses_its_marks_but_keeps_what_they_say() -> None:
    found = extract(RST.encode(), name="a.rst")
    assert blocks(found) == [
        ("heading", "The harbor plan"),
        ("header", ":Author: Ann Lee"),
        (
            "prose",
            "The council has decided that deep_water is needed. See the\nreport, costs or the label of cod. "
            "A snake_case name.",
        ),
        ("heading", "Costs"),
        ("prose", "The piers cost more."),
        ("item", "Piers cost\nmore."),
        ("item", "term\nWhat it means."),
        ("prose", "Example:"),
        ("code", "x = 1\n  y"),
        ("prose", "A sentence."),
        ("quote", "A quotation."),
        ("caption", "A red fish."),
        ("row", "Year | Fish"),
        ("row", "1990 | 12 more"),
        ("heading", "Details"),
        ("row", "A | B"),
        ("row", "1 | 2"),
        ("caption", "A footnote."),
    ]
    assert [block.level for block in found.blocks if block.kind == "heading"] == [1, 2, 3]


ASCIIDOC = """= The harbor plan
Ann Lee <ann@example.org>
:fish: cod

The *council* has _decided_ that `deep water` is needed.footnote:[A note.] See https://x.y[the report],
<<costs,the costs>> and xref:a.adoc[more] of {fish}. A snake_case name.

// a comment
[[costs]]
== Costs

NOTE: The piers cost more.

.Prices of fish
[cols="1,1"]
|===
|Fish |Price

|Cod
|2
|===

* Piers cost
more.
** Ships cost less.

term:: What it means.

[source,python]
----
x = 1
----

____
A quotation.
____

image::fish.png[A fish]

////
hidden
////
"""


def test_asciidoc_loses_its_marks_but_keeps_what_they_say() -> None:
    found = extract(ASCIIDOC.encode(), name="a.adoc")
    assert blocks(found) == [
        ("heading", "The harbor plan"),
        ("header", "Ann Lee <ann@example.org>"),
        (
            "prose",
            "The council has decided that deep water is needed. See the report,\nthe costs and more of cod. "
            "A snake_case name.",
        ),
        ("caption", "A note."),
        ("heading", "Costs"),
        ("prose", "The piers cost more."),
        ("caption", "Prices of fish"),
        ("row", "Fish | Price"),
        ("row", "Cod | 2"),
        ("item", "Piers cost\nmore."),
        ("item", "Ships cost less."),
        ("item", "term\nWhat it means."),
        ("code", "x = 1"),
        ("quote", "A quotation."),
    ]
    assert labels(found) == [{"section": "The harbor plan"}, {"section": "Costs"}]
