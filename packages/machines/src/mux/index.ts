export { type AnswerOptions, MuxSession } from './mux-session.ts'
