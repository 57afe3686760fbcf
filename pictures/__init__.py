"""Pictures as SVG, drawn by Matplotlib: plots of figures, and block diagrams. What they show is given to them."""
