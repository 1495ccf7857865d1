/* A page opened from disk may not start a worker. This stands in for one: the worker's script runs in a hidden frame. */
(() => {
  if (location.protocol !== "file:") return;
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search worker";
      document.body.append(frame);
      const inner = frame.contentWindow;
      this.frame = frame;
      this.heard = (event) => {
        if (event.source !== inner) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      window.addEventListener("message", this.heard);
      inner.postMessage = (data) => window.dispatchEvent(new MessageEvent("message", { data, source: inner }));
      const load = (src) => new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        script.src = src;
        script.onload = done;
        script.onerror = failed;
        frame.contentDocument.body.append(script);
      });
      inner.importScripts = (...sources) => sources.reduce((before, src) => before.then(() => load(src)), Promise.resolve());
      this.ready = load(new URL(address, location.href).href);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      window.removeEventListener("message", this.heard);
      this.frame.remove();
    }
  };
})();
