/** Types a command of the program, for tests. */
import { spyOn } from 'bun:test';
import { addAdminCommands } from '../admin.ts';
import { CommandLine } from '../command-line.ts';

type Variables = Readonly<Record<string, string>>;

/** What a command prints, standard error included; it throws where the program would end with a code. */
export async function typeCommand(args: readonly string[], variables: Variables = {}): Promise<string> {
  let printed = '';
  const keep = (text: string | Uint8Array) => {
    printed += String(text);
    return true;
  };
  const program = new CommandLine('sluice');
  program.exitOverride().configureOutput({ writeErr: keep, writeOut: keep });
  addAdminCommands(program, variables);
  const output = spyOn(process.stdout, 'write').mockImplementation(keep);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return printed;
  } catch (error) {
    return `${printed}${error instanceof Error ? error.message : String(error)}`;
  } finally {
    output.mockRestore();
  }
}
