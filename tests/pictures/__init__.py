"""The pages as people see them: Debian's Chromium, driven; the screenshots and the document of ``make screenshots``."""
