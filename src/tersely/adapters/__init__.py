"""Adapters to other packages, each with an extra of the same name: LangChain, LlamaIndex, Haystack, spaCy and MCP."""
