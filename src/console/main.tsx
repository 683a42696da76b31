import { render } from 'preact'
import { signal } from '@preact/signals'

const clicks = signal(0)

function Start() {
  return <h1>Portico {clicks}</h1>
}

const root = document.getElementById('app')
if (root !== null) render(<Start />, root)
