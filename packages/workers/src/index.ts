export { DirectMachine } from './direct-machine.ts'
export { Encoders } from './encoding/encoders.ts'
export { SameProcess } from './same-process.ts'
export { FrameCapture } from './screen/frame-capture.ts'
