import { z } from 'zod'

/** What whoever looks through the glass may do there. `force` takes the control from another person. */
export const LiveScope = z.enum(['view', 'input', 'clipboard:read', 'clipboard:write', 'force'])
export type LiveScope = z.infer<typeof LiveScope>

/** Who holds the control of a sandbox. */
export const LeaseHolder = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('agent') }),
  /** A person has been called and none has come, or the one who had it has gone. */
  z.object({ kind: z.literal('nobody') }),
  z.object({ kind: z.literal('person'), viewer: z.string(), name: z.string() }),
])
export type LeaseHolder = z.infer<typeof LeaseHolder>

/** What a viewer says on the control channel; docs/live-protocol.md tells when. */
export const ViewerMessage = z.discriminatedUnion('kind', [
  /** The first frame of every connection. `video` says that H.264 can be drawn; `name` is what the others see. */
  z.object({
    kind: z.literal('hello'),
    version: z.literal(1),
    room: z.string().max(200),
    token: z.string().max(4096),
    name: z.string().max(100).default(''),
    video: z.boolean().default(false),
  }),
  /** A newer token for this connection; without one the service makes it. */
  z.object({ kind: z.literal('renew'), token: z.string().max(4096).optional() }),
  /** Asks for the control, takes it from whoever has it, or gives it back to the agent. */
  z.object({ kind: z.literal('take'), force: z.boolean().default(false) }),
  z.object({ kind: z.literal('handBack') }),
  /** The answer of the person who has the control to another who asked for it. */
  z.object({ kind: z.literal('answer'), viewer: z.string().max(100), grant: z.boolean() }),
])
export type ViewerMessage = z.infer<typeof ViewerMessage>

/** What the service says on the control channel. */
export const RoomMessage = z.discriminatedUnion('kind', [
  /** The answer to `hello`; the picture follows. `viewer` is the name of this connection in the room. */
  z.object({
    kind: z.literal('welcome'),
    version: z.literal(1),
    viewer: z.string(),
    scope: z.array(LiveScope),
    expiresAt: z.iso.datetime(),
  }),
  /** Who has the control, and the number that input must carry. It is told whenever it changes. */
  z.object({ kind: z.literal('lease'), number: z.int(), holder: LeaseHolder }),
  /** To the holder: somebody else asks for the control. */
  z.object({ kind: z.literal('asked'), viewer: z.string(), name: z.string() }),
  /** To who asked: not now. */
  z.object({ kind: z.literal('refused'), reason: z.string() }),
  /** The answer to `renew`: from now on this token and its scope are the connection's. */
  z.object({
    kind: z.literal('token'),
    token: z.string(),
    expiresAt: z.iso.datetime(),
    scope: z.array(LiveScope),
  }),
  /** The machine is away, as while it restarts, or there again: a whole picture follows. */
  z.object({ kind: z.literal('machine'), isThere: z.boolean() }),
  /** The last frame. `isFinal` means that the same token will not be let in again. */
  z.object({ kind: z.literal('goodbye'), code: z.string(), message: z.string(), isFinal: z.boolean() }),
])
export type RoomMessage = z.infer<typeof RoomMessage>
