"""The system of the paper, end to end: networks, objectives, knapsack, baselines and tables.

Jie, Meng, Jiang and Liu: Unsupervised Extractive Summarization with Learnable Length Control
Strategies (AAAI 2024). `learn` has what a user trains for a product; this package reproduces the
paper, and only the command line imports it.

Where to find each part of the paper. Modules are in this package unless a package is named.

Equations
    Eq. 1    the best M sentences            tersely.select.ranked.Top; in training,
                                             selection.gumbel_top_k
    Eq. 2    the best sentences within C     tersely.select.knapsack.Knapsack; for batches,
                                             knapsack_problems.solve
    Eq. 3    centrality                      tersely.score.classic.TextRank, centrality=degree
    Eq. 4    predicted sentence, h^S_i       objectives.bidirectional; networks.Siamese.predict
    Eq. 5    the loss Rest-Ext               objectives.rest_ext_loss
    Eq. 6    predicted document, h^D         objectives.bidirectional; networks.mean
    Eq. 7    the loss Ext-Doc                objectives.ext_doc_loss
    Eq. 8    the total loss                  objectives.total_loss
    Eq. 9    e'', only selected sentences    objectives.summary_mask
    Eq. 10   e', all but one sentence        objectives.rest_mask
    between 8 and 9, without numbers:
             Gumbel top-k                    selection.gumbel_top_k
             the straight-through trick      selection.straight_through
             the rounded knapsack scores     selection.by_network

Tables (`tersely reproduce NAME` prints each, published and measured)
    Table 1  neural knapsack solvers         reproduce.reproduce_knapsack, knapsack_measure.measure;
                                             the other methods: table1, neural_knapsacks
    Table 2  unsupervised methods            reproduce.reproduce; the methods of other papers:
                                             baselines, train_*, scorers
    Table 3  ablations                       reproduce.reproduce; each is one setting of config.Objective
                                             or of config.SiameseNetworks
    Tables 4 and 5  length control           reproduce.reproduce; config.TrainingSelection
    Table 6  human evaluation                reproduce.render_human; human_form, human_answers,
                                             human_analyze
    Table 7  statistics of the datasets      published.measure_dataset

Figures
    Fig. 1   the joint siamese model         networks.ScorerModel, objectives.forward; its
                                             transformers: transformer.Transformer
    Fig. 2   the knapsack transformer        knapsack_network.KnapsackTransformer
    Fig. 3   why scores need a scale         an example without code
    Fig. 4   Rest-Ext                        objectives.bidirectional, rest_mask
    Fig. 5   Ext-Doc                         objectives.bidirectional, summary_mask
    Fig. 6   learning curves                 tersely.evaluate.report.draw_curves

Training
    Section "Training of Knapsack Network"   train_knapsack; problems: knapsack_problems.Distribution
    Section "Training of Joint Model"        train_scorer; settings: configs/paper-*.toml

Shapes in comments: B documents or problems, n sentences or items, d numbers in a vector. E and e
are first-level vectors (of a frozen encoder), H and h are second-level ones.
"""
