"""Tables of Parquet shards, and the images in them."""
