"""What annotation is, in a `Doc` and as plain values, for corpora, tasks and scores alike. Predicts nothing."""
