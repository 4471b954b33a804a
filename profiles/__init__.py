"""Who a person is and what they may see."""
