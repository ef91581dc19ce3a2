/** The mails that were written as files, to look at while Sluice is developed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';

export interface KeptMail {
  /** Of the file; names it in addresses. */
  readonly name: string;
  readonly to: string;
  readonly subject: string;
  readonly language: string;
  readonly writtenAt: Date;
  readonly text: string;
  readonly html: string;
  /** As it would have gone out. */
  readonly raw: string;
}

const namePattern = /^[\w-]+\.eml$/;

export class KeptMails {
  readonly #folder: string;

  /** @param folder that a `FileMailer` writes to. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Newest first. */
  async list(limit: number): Promise<readonly KeptMail[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const newest = names
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
      .slice(0, limit);
    const mails = await Promise.all(newest.map((name) => this.read(name)));
    return mails.filter((mail) => mail !== undefined);
  }

  /** @returns undefined when there is none of that name, or no longer. */
  async read(name: string): Promise<KeptMail | undefined> {
    if (!namePattern.test(name)) return undefined;
    const raw = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined);
    if (raw === undefined) return undefined;
    const { to, subject = '', text = '', html = '', date, headers } = await PostalMime.parse(raw);
    return {
      name,
      to: to?.map(({ address }) => address).join(', ') ?? '',
      subject,
      language: headers.find(({ key }) => key === 'content-language')?.value ?? 'en',
      writtenAt: new Date(date ?? 0),
      text,
      html,
      raw,
    };
  }
}
