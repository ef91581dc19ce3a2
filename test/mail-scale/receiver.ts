/** A mail server of its own process, which counts what arrives and knows a second copy by its Message-ID. */
import { SMTPServer } from 'smtp-server';

const arrived = new Set<string>();
let [mails, bytes, open, mostOpen] = [0, 0, 0, 0];

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onConnect(_session, done) {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    done();
  },
  onClose: () => {
    open -= 1;
  },
  onData(stream, _session, done) {
    let head = '';
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (head.length < 4096) head += chunk.toString('latin1');
    });
    stream.on('end', () => {
      mails += 1;
      arrived.add(/^message-id: *<([^@]+)@/im.exec(head)?.[1] ?? `nameless-${mails}`);
      done();
    });
  },
});
server.on('error', () => undefined);
server.listen(0, '127.0.0.1', () => {
  const address = server.server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : null });
});
process.on('message', () => {
  process.send?.({ mails, distinct: arrived.size, bytes, mostOpen });
});
