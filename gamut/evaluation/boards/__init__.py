"""What a benchmark's board is made of, by what lies in tables: nobody is asked anything."""
