const shown = document.getElementById("version");
const socket = new WebSocket(`ws://${location.host}/analyze`);
socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, action: "version" })));
socket.addEventListener("message", (message) => {
  const { name, version } = JSON.parse(message.data);
  shown.textContent = `Connected to ${name} ${version}.`;
});
socket.addEventListener("close", () => {
  shown.textContent = "The server has ended.";
});
