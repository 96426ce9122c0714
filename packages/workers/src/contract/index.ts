export type { Capture, CaptureChoice, EncodedPicture, PictureFormat } from './capture.ts'
export type { RunningMachine } from './running-machine.ts'
export type { ChangeWatch, Looked, LookRequest, Performed, RunningScreen } from './running-screen.ts'
