import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './view/view.css'
import { App } from './view/app.tsx'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
