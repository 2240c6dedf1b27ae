"""Trees as text and as SVG."""
