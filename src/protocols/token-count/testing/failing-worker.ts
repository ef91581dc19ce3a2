/** A thread that cannot count: it dies of whatever it is asked, or never answers. */
import { parentPort, workerData } from 'node:worker_threads';

parentPort?.on('message', () => {
  if (workerData === 'dies') throw new Error('it cannot count');
  if (workerData === 'leaves') process.exit(0);
});
