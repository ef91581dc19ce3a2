/** Makes the embedded database that tests copy, before they run: two files at once would make it twice, each within its time. */
import { prepareEmbedded } from '../databases.ts';

const { discard } = await prepareEmbedded();
await discard();
