// A process that is profiled writes its profile when it exits by itself, not when it is killed.
process.on('SIGUSR2', () => process.exit());
