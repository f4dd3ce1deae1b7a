// The search of the site runs in a Worker, which browsers refuse to pages that are opened as files.
// There a hidden frame runs the same script instead, and messages are handed over as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.ready = new Promise((resolve) => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = new URL(address, location.href).href;
          script.addEventListener("load", () => resolve(inside));
          inside.document.body.append(script);
        });
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.ready.then((inside) => {
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
