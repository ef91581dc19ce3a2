/** Mails as files in the data folder, for when there is no mail server: the newest are kept, for their owner alone. */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeThrown } from '../base/errors.ts';
import { MailError, type Mailer, type Message, type Sender, writeMail } from './mailer.ts';

const keptMails = 500;

export class FileMailer implements Mailer {
  readonly #folder: string;
  readonly #from: Sender;
  /** One after the other, so that what is too much is counted once. */
  #last: Promise<void> = Promise.resolve();

  constructor(folder: string, from: Sender) {
    this.#folder = folder;
    this.#from = from;
  }

  async send(message: Message): Promise<void> {
    const content = await writeMail(message, this.#from);
    const written = this.#last.then(() => this.#write(nameOf(message), content));
    this.#last = written.catch(() => undefined);
    try {
      await written;
    } catch (cause) {
      throw new MailError('not_sent', describeThrown(cause), cause);
    }
  }

  /** Files need nobody's leave. */
  async check(): Promise<void> {}

  /** Nothing is open between two mails. */
  close(): void {}

  describe(): string {
    return `files in ${this.#folder}`;
  }

  /** Under another name first, so that nobody reads half of it. A second try of the same mail takes the place of the first. */
  async #write(name: string, content: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `${name}.draft`);
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    await rename(draft, join(this.#folder, name));
    await this.#removeOldest();
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.eml')).sort();
    for (const name of names.slice(0, Math.max(0, names.length - keptMails))) {
      await rm(join(this.#folder, name), { force: true });
    }
  }
}

/** Sorted by name they are sorted by time. */
const nameOf = ({ id, writtenAt }: Message): string =>
  `${writtenAt.toISOString().replaceAll(/[:.]/g, '-')}-${id}.eml`;
