"""The tables and figures of the documents, computed anew and compared with what is printed."""
