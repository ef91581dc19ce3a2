/** Commands that name a mistyped option before anything else that is wrong: what is missing may be what was mistyped. */
import { Command, type ParseOptionsResult } from 'commander';
import { findClosest } from '../../base/closest.ts';

const helpFlags: readonly string[] = ['-h', '--help'];

export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name);
  }

  /** Looks at options alone where no command of its own follows. */
  override parseOptions(args: string[]): ParseOptionsResult {
    const unknown = this.commands.length === 0 ? this.#findUnknown(args) : undefined;
    if (unknown !== undefined) {
      const flags = this.options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long]));
      const closest = findClosest(unknown, flags);
      const meant = closest === undefined ? '' : `\n(Did you mean ${closest}?)`;
      this.error(`error: unknown option '${unknown}'${meant}`, { code: 'commander.unknownOption' });
    }
    return super.parseOptions(args);
  }

  #findUnknown(args: readonly string[]): string | undefined {
    for (let at = 0; at < args.length; at += 1) {
      const text = args[at] ?? '';
      if (text === '--') return undefined;
      if (!/^-./.test(text)) continue;
      const [flag = text] = text.split('=', 1);
      const option = this.options.find(({ long, short }) => flag === long || flag === short);
      if (option === undefined && !helpFlags.includes(flag)) return flag;
      // The next one is its value, whatever it looks like.
      if (option?.required === true && flag === text) at += 1;
    }
    return undefined;
  }
}
