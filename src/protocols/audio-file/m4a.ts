/** How long an M4A is: its sound track, else the whole film, else all of its fragments. */
import type { AudioBytes } from './audio-bytes.ts';
import { type Box, boxesOf, findBox } from './m4a-boxes.ts';
import { fragmentTicks } from './m4a-fragments.ts';

/** Says that the length is not known yet; of the long form all bits are set too. */
const unknownTicks = 0xffffffff;

export function m4aSeconds(bytes: AudioBytes): number | null {
  const film = findBox(bytes, ['moov'], { body: 0, end: bytes.length });
  if (film === null) return null;
  const track = soundTrack(bytes, film);
  const trackHeader = track === null ? null : findBox(bytes, ['mdia', 'mdhd'], track);
  const trackSeconds = trackHeader === null ? null : headerSeconds(bytes, trackHeader);
  if (trackSeconds !== null) return trackSeconds;
  const filmHeader = findBox(bytes, ['mvhd'], film);
  const filmSeconds = filmHeader === null ? null : headerSeconds(bytes, filmHeader);
  if (filmSeconds !== null) return filmSeconds;
  if (track === null || trackHeader === null) return null;
  const ticks = fragmentTicks(bytes, film, trackId(bytes, track));
  const scale = timescale(bytes, trackHeader);
  return ticks === 0 || scale === 0 ? null : ticks / scale;
}

function soundTrack(bytes: AudioBytes, film: Box): Box | null {
  for (const track of boxesOf(bytes, 'trak', film)) {
    const handler = findBox(bytes, ['mdia', 'hdlr'], track);
    if (handler !== null && bytes.has('soun', handler.body + 8)) return track;
  }
  return null;
}

function trackId(bytes: AudioBytes, track: Box): number | null {
  const header = findBox(bytes, ['tkhd'], track);
  if (header === null) return null;
  return bytes.u32(header.body + (bytes.u8(header.body) === 1 ? 20 : 12));
}

/** Of `mvhd` and `mdhd`, which begin alike. */
function headerSeconds(bytes: AudioBytes, { body }: Box): number | null {
  const isLong = bytes.u8(body) === 1;
  const scale = timescale(bytes, { body });
  const ticks = isLong ? bytes.u64(body + 24) : bytes.u32(body + 16);
  const isUnknown = ticks === 0 || (!isLong && ticks === unknownTicks) || ticks >= 2 ** 63;
  return isUnknown || scale === 0 ? null : ticks / scale;
}

function timescale(bytes: AudioBytes, { body }: Pick<Box, 'body'>): number {
  return bytes.u32(body + (bytes.u8(body) === 1 ? 20 : 12));
}
