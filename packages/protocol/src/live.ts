import { z } from 'zod'

/** What a viewer of the live view may do. `force` allows taking control from another person. */
export const LiveScope = z.enum(['view', 'input', 'clipboard:read', 'clipboard:write', 'force'])
export type LiveScope = z.infer<typeof LiveScope>

/** Who is in control of a sandbox. */
export const LeaseHolder = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('agent') }),
  /** A person was requested and none has taken control yet, or the person in control has left. */
  z.object({ kind: z.literal('nobody') }),
  z.object({ kind: z.literal('person'), viewer: z.string(), name: z.string() }),
])
export type LeaseHolder = z.infer<typeof LeaseHolder>

/** The state of a sandbox as its viewers are told of it. `offline` means that the host of its machine is lost. */
export const RoomStatus = z.enum([
  'starting',
  'running',
  'paused',
  'hibernated',
  'stopped',
  'failed',
  'offline',
])
export type RoomStatus = z.infer<typeof RoomStatus>

/** The max number of viewers that a `viewers` message names; the others are only counted. */
export const maxNamedViewers = 20

/** Messages from a viewer on the control channel; docs/live-protocol.md describes when they are sent. */
export const ViewerMessage = z.discriminatedUnion('kind', [
  /**
   * The first frame of every connection. `video` announces that H.264 can be decoded; `name` is shown to other viewers.
   */
  z.object({
    kind: z.literal('hello'),
    version: z.literal(1),
    room: z.string().max(200),
    token: z.string().max(4096),
    name: z.string().max(100).default(''),
    video: z.boolean().default(false),
  }),
  /** Replaces the token of this connection. Without `token` the service issues a new one. */
  z.object({ kind: z.literal('renew'), token: z.string().max(4096).optional() }),
  /** Takes control from the agent or asks the person in control; with `force`, takes it from that person. */
  z.object({ kind: z.literal('take'), force: z.boolean().default(false) }),
  z.object({ kind: z.literal('handBack') }),
  /** The reply of the person in control to an `asked` message. */
  z.object({ kind: z.literal('answer'), viewer: z.string().max(100), grant: z.boolean() }),
])
export type ViewerMessage = z.infer<typeof ViewerMessage>

/** Messages from the service on the control channel. */
export const RoomMessage = z.discriminatedUnion('kind', [
  /** The reply to `hello`; the picture follows. `viewer` identifies this connection in the room. */
  z.object({
    kind: z.literal('welcome'),
    version: z.literal(1),
    viewer: z.string(),
    scope: z.array(LiveScope),
    expiresAt: z.iso.datetime(),
  }),
  /**
   * Who is in control, and the lease number that input must carry. Sent on every change. `message` is what the agent
   * asks the person to do, from the call until control is handed back.
   */
  z.object({
    kind: z.literal('lease'),
    number: z.int(),
    holder: LeaseHolder,
    message: z.string().optional(),
  }),
  /** The sandbox of the room. Sent after the first `lease`, and again whenever something of it changes. */
  z.object({
    kind: z.literal('sandbox'),
    name: z.string(),
    status: RoomStatus,
    isPhone: z.boolean(),
    expiresAt: z.iso.datetime(),
    /** The time at which this was sent, so that the clock of the viewer does not matter. */
    now: z.iso.datetime(),
  }),
  /** Who is in the room, including the receiver. */
  z.object({
    kind: z.literal('viewers'),
    count: z.int(),
    viewers: z.array(z.object({ viewer: z.string(), name: z.string() })).max(maxNamedViewers),
  }),
  /** What the agent is doing, in words. It never contains what the agent types. */
  z.object({ kind: z.literal('action'), text: z.string(), at: z.iso.datetime() }),
  /** To the person in control: another viewer asks for control. */
  z.object({ kind: z.literal('asked'), viewer: z.string(), name: z.string() }),
  /** To the viewer who asked for control: it was refused. */
  z.object({ kind: z.literal('refused'), reason: z.string() }),
  /** The reply to `renew`: the connection now uses this token and its scope. */
  z.object({
    kind: z.literal('token'),
    token: z.string(),
    expiresAt: z.iso.datetime(),
    scope: z.array(LiveScope),
  }),
  /** Whether the machine is reachable; it is not while it restarts. When it is back, a full picture follows. */
  z.object({ kind: z.literal('machine'), isThere: z.boolean() }),
  /** The last frame of a connection. `isFinal` means that the same token will not be accepted again. */
  z.object({ kind: z.literal('goodbye'), code: z.string(), message: z.string(), isFinal: z.boolean() }),
])
export type RoomMessage = z.infer<typeof RoomMessage>
