// Starts the page: state first, then what is drawn from it.

import "./app.css";
import { mount } from "svelte";
import { startPage } from "./state/page";
import App from "./ui/App.svelte";

startPage();
const target = document.getElementById("app");
if (target) mount(App, { target });
