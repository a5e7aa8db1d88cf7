"""The FLUX-Reason build: from captions to a released dataset, one module a stage (FLUX-Reason-6M, section 2)."""
