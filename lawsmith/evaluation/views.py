"""What a player sees, for those who write players; the Oracle hands the same views out."""

from lawsmith.oracle import MAIN_BUDGET, PlayerView, effective_budget, observation_of, player_view

__all__ = ("MAIN_BUDGET", "PlayerView", "effective_budget", "observation_of", "player_view")
