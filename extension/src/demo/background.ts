console.info('worker');
