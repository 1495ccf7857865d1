"""From a request to an answer over HTTP: endpoints, their workers, limits, retries and faults."""
