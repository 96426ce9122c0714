/**
 * Many byte streams over one, such as a virtio-serial port, an exec WebSocket or a unix socket. The *opener* (the host)
 * opens streams to targets that the *acceptor* (the machine) knows by name. This is the opener, without any input or
 * output; both sides in Python are `packages/machines/guest/mux.py`.
 *
 * **Frames.** All numbers are big endian. A frame is at most 32 KiB long. Zero bytes between frames are padding.
 *
 *     type: u8, stream: u32, length: u16, payload: length bytes, end mark: 0x7e
 *
 *     1 HELLO   both      stream 0; nonce: 16 bytes, version: u8 (1)
 *     2 OPEN    opener    the name of the target: 1 to 64 of a-z 0-9 . _ -
 *     3 ACCEPT  acceptor  empty
 *     4 REFUSE  acceptor  the reason: up to 200 bytes of UTF-8
 *     5 DATA    both      1 to 32,760 bytes
 *     6 CREDIT  both      bytes: u32
 *     7 END     both      empty; nothing more is sent in this direction
 *     8 RESET   both      empty; nothing more is sent or wanted
 *     9 PING    opener    stream 0; 8 bytes
 *     10 PONG   acceptor  stream 0; the same 8 bytes
 *
 * **Start.** The byte stream may outlive either side and be cut off anywhere, so neither side assumes anything about what
 * arrives first. The opener sends 65,536 zeros and HELLO with a random nonce. Half of the zeros complete a frame that was
 * cut off, which then lacks its end mark and is not delivered. The other half is a run that no valid frames contain, after
 * which an acceptor that has just started, or has received nonsense, reads frames again. The acceptor then closes all
 * earlier streams, discards what it has not sent, and answers with the same HELLO. The opener searches everything that
 * arrives for that answer and reads frames only from there on, because stale bytes cannot contain the nonce. HELLO with
 * a nonce of zeros means that the acceptor has started over, which ends the session.
 *
 * **Streams.** Numbers ascend from 1 and are not used again in a session. A stream carries DATA once it is accepted. At most
 * 1024 are open at a time. Each direction has a window of 256 KiB; the receiver gives CREDIT for what was read. Frames for a
 * stream that has ended were under way and are ignored. RESET after END in the same direction takes nothing away from
 * what was sent; the sender only wants nothing any more. RESET may also follow OPEN that was not answered in time.
 *
 * **Order.** Control frames are sent first. Then streams that have data take turns, one frame each.
 *
 * **Violations.** Whatever is not described here ends the session of the opener with a {@link MuxError}. An acceptor closes all
 * streams, says HELLO with a nonce of zeros, and waits for a greeting.
 */
export {
  encodeFrame,
  type Frame,
  frameType,
  maxFrameBytes,
  maxPayloadBytes,
  maxStreams,
  windowBytes,
} from './frame.ts'
export { FrameReader } from './frame-reader.ts'
export { MuxError } from './mux-error.ts'
export { MuxOpener, type OpenerOptions } from './opener.ts'
export { MuxStream, type StreamEvents } from './stream.ts'
