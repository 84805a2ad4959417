package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.BoundingBox;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// What a person does on the upload page, and what they see there.
///
/// @param visit where the page is open
record Upload(Visit visit) {
  /// Gives the page a file by its input, as the browser's picker does.
  Upload pick(Path file) {
    visit.page().locator("#file").setInputFiles(file);
    return this;
  }

  /// Drops a file on the zone: the page sees what it sees of a person's hand.
  Upload drop(Path file) {
    BoundingBox zone = visit.page().locator("#drop").boundingBox();
    JsonArray files = new JsonArray();
    files.add(file.toString());
    JsonObject data = new JsonObject();
    data.add("items", new JsonArray());
    data.add("files", files);
    data.addProperty("dragOperationsMask", 1);
    CDPSession protocol = visit.protocol();
    for (String type : List.of("dragEnter", "dragOver", "drop")) {
      JsonObject event = new JsonObject();
      event.addProperty("type", type);
      event.addProperty("x", zone.x + zone.width / 2);
      event.addProperty("y", zone.y + zone.height / 2);
      event.add("data", data);
      protocol.send("Input.dispatchDragEvent", event);
    }
    return this;
  }

  Locator bar() {
    return visit.page().locator("#bar");
  }

  /// What the bar is at: bytes.
  double sent() {
    return ((Number) bar().evaluate("bar => bar.value")).doubleValue();
  }

  /// Waits until the bar is beyond this.
  void awaitBeyond(double bytes) {
    visit
        .page()
        .waitForFunction(
            "([bar, bytes]) => bar.value > bytes", List.of(bar().elementHandle(), bytes));
  }

  /// Waits until the page is done, or shows another part than this one.
  void awaitOther(String percent) {
    visit
        .page()
        .waitForFunction(
            """
            percent => document.body.dataset.state === 'done'
              || document.querySelector('[data-field=percent]').textContent !== percent
            """,
            percent);
  }

  /// Presses a button and says yes to what is asked then.
  void confirm(String button, String yes) {
    visit.button(button).click();
    visit.button(yes).click();
  }

  /// Waits until it is done, and compares what is in the volume with the image.
  void assertDone(Path image, String format, VolumeDirectory volume)
      throws IOException, InterruptedException {
    visit.awaitState("done");
    assertEquals("100 %", visit.field("percent"));
    String sum = Command.run("sha256sum", image.toString());
    assertEquals(sum.substring(0, sum.indexOf(' ')), visit.field("sha256"));
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, format, volume.disk());
  }
}
