/**
 * Names of documents, which the API demands, each only once in a request, and of few characters. Since the model reads
 * them, they are as near to the titles as that allows.
 */

const maxCharacters = 180;

export class DocumentNames {
  readonly #taken = new Set<string>();

  /** The same titles in the same order give the same names, so that a cached prompt stays the same. */
  take(title: string | undefined): string {
    const wanted = plain(title ?? '');
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted} (${number})`;
    this.#taken.add(name);
    return name;
  }
}

function plain(title: string): string {
  const kept = title
    .replaceAll(/[^A-Za-z0-9\s\-()[\]]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxCharacters)
    .trim();
  return /[A-Za-z0-9]/.test(kept) ? kept : 'document';
}
