"""Methods of other papers that need training: NeuSum, BertSum, STAS, and the word model of PMI."""
