"""`python -m nash_ismcts_spiel.cli`, where the command is not installed."""

import sys

from nash_ismcts_spiel.cli import main

sys.exit(main())
