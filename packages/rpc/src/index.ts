export { type Answer, Caller, type CallerOptions, type CallOptions, type Started } from './caller.ts'
export type { Channel } from './channel.ts'
export { DescribedError, type ErrorCodec, LinkClosed, messageOf, plainErrors, UnfitResult } from './errors.ts'
export {
  type Method,
  type MethodTable,
  method,
  type NoticeTable,
} from './method.ts'
export { type Handlers, Responder, type ResponderOptions, type ServedCall, WithBytes } from './responder.ts'
