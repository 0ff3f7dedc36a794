// Runs only so that the test can speak as another extension's worker.
