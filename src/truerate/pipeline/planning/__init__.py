"""What a build would ask and cost, from settings alone."""
