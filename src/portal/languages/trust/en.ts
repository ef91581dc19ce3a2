/** How the service is guarded, and who decides what. */
import type { Article } from '../article.ts';

export type TrustWords = Readonly<Record<'security' | 'controls' | 'certifications', Article>>;

export const en: TrustWords = {
  security: {
    title: 'Security',
    description: 'How secrets, contents, pages and tenants are guarded, and what is left to the operator.',
    lead: 'What the software does to be safe, and plainly what it leaves to whoever runs it.',
    sections: [
      {
        title: 'Secrets',
        points: [
          ['Tokens and sessions', 'Random, stored as SHA-256 hashes. A token is shown once.'],
          ['Passwords', 'Stored as argon2id hashes. Guessing is throttled by account and by address.'],
          [
            'Keys of providers',
            'Sealed with AES-256-GCM under a secret that is not in the database, opened only in memory, never logged.',
          ],
        ],
      },
      {
        title: 'Contents',
        points: [
          [
            'Not kept',
            'Requests and answers are written neither to the database nor to the log. Records hold counts, times, costs and outcomes.',
          ],
          [
            'Two exceptions, for a time',
            'What was asked and answered by the responses interface is held in memory for an hour unless the operator changed it, for the key that got it, so that the next request can refer to it; `store: false` avoids it. An answer to a request with an `Idempotency-Key` is held for a day, in memory or sealed in Redis, for the same request alone.',
          ],
          [
            'Who sees them',
            'The provider that answers. A key can be locked to models, providers and regions.',
          ],
        ],
      },
      {
        title: 'Pages',
        points: [
          [
            'Strict policy',
            'Pages load nothing from other hosts and run no inline script. They cannot be framed and send no referrer.',
          ],
          [
            'No acting for you',
            'What another site’s page sends is refused. Cookies are `HttpOnly` and `SameSite=Lax`, and on https `Secure`; that of the session has the prefix `__Host-` there.',
          ],
        ],
      },
      {
        title: 'Tenants and hostile input',
        points: [
          [
            'Whose data',
            'Every read and write of what people own is told for whom. What belongs to another is answered as if it did not exist.',
          ],
          [
            'Bounded',
            'Size, time and memory of a request are limited before it is read, and one key cannot take all of it.',
          ],
          [
            'One model, as named',
            'Members that would choose another model, host or credential behind a provider are refused.',
          ],
        ],
      },
      {
        title: 'Left to the operator',
        points: [
          ['Encryption on the way', 'A proxy in front ends TLS; the program itself speaks plain HTTP.'],
          [
            'Backups and retention',
            'Of the database. Usage records stay, unless the operator sets for how many days.',
          ],
          [
            'Limits over several processes',
            'Without a Redis each process counts for itself, so that limits of a key add up over them.',
          ],
        ],
      },
    ],
  },
  controls: {
    title: 'Controls',
    description: 'Who decides what: keys, wallets, roles, and the settings of the operator.',
    lead: 'What can be held in bounds, and by whom.',
    sections: [
      {
        title: 'A key',
        points: [
          ['Locks', 'To models, providers and regions. What a lock does not name is refused.'],
          ['Limits', 'Requests a minute, tokens a minute, requests at once.'],
          [
            'Scopes and life',
            'Inference, webchat or reading only; an end date; revoked at once and for good.',
          ],
        ],
      },
      {
        title: 'An account',
        points: [
          [
            'Wallet',
            'Prepaid. When it is empty, requests to models with a price are refused with 402; free ones go on.',
          ],
          ['Status', 'Suspended accounts are refused and lose nothing; closed ones have their keys revoked.'],
          [
            'Roles',
            'From member to owner of the platform; each sees and changes what its role reaches, and nothing beside it.',
          ],
        ],
      },
      {
        title: 'A provider',
        points: [
          [
            'Order and visibility',
            'Whoever declares models says which providers serve them, in which order, and in which region.',
          ],
          [
            'Patience',
            'How long to wait for a connection, a first byte, a whole answer; also for each provider by itself.',
          ],
        ],
      },
      {
        title: 'The service',
        points: [
          ['What is kept', 'How long answers are held for reference; `0` keeps none.'],
          ['How much', 'The largest request, and the memory that all requests together may take.'],
          [
            'Checked at start',
            'Every mistake in the settings is named, and `npx sluice doctor` asks each provider whether it works.',
          ],
        ],
      },
    ],
  },
  certifications: {
    title: 'Certifications',
    description: 'Which certifications this service claims: none. What an operator can add.',
    lead: 'None are claimed. The software has not been audited or certified by anybody, and this page would say so if it had.',
    sections: [
      {
        title: 'What that means',
        points: [
          [
            'A certificate is about an operation',
            'ISO 27001, SOC 2 and the like certify how an organisation works. Software alone cannot have them: whoever runs this service can.',
          ],
          [
            'Ask who runs it',
            'Their certificates, their processors and the place of their servers are theirs to show. The data processing agreement is the place for it.',
          ],
        ],
      },
      {
        title: 'What the software brings along',
        points: [
          [
            'Evidence',
            'One record a request with every attempt, deposits and charges of every wallet, accepted versions of the terms with their time.',
          ],
          [
            'Few data',
            'No contents in the database or the log, no foreign host on any page, no cookies but those that are needed.',
          ],
          ['Open source', 'Under the Apache licence 2.0, so that it can be read, with its tests.'],
        ],
      },
      {
        title: 'What an operator adds',
        points: [
          ['Their own texts', 'The legal pages are files that a folder of theirs replaces.'],
          ['Their measures', 'TLS, backups, retention, access to servers, handling of incidents.'],
        ],
      },
    ],
  },
};
