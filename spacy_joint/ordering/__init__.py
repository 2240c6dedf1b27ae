"""The order of modifiers before a noun: `prenominal_orderer`."""
