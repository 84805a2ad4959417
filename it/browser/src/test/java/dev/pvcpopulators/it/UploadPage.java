package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.BoundingBox;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Operates the upload page as a user does.
///
/// @param session the window that shows the page
record UploadPage(BrowserSession session) {
  /// Chooses a file with the page's input element.
  UploadPage pick(Path file) {
    session.page().locator("#file").setInputFiles(file);
    return this;
  }

  /// Drops a file on the page with the browser's own drag events.
  UploadPage drop(Path file) {
    BoundingBox zone = session.page().locator("#drop").boundingBox();
    JsonArray files = new JsonArray();
    files.add(file.toString());
    JsonObject data = new JsonObject();
    data.add("items", new JsonArray());
    data.add("files", files);
    data.addProperty("dragOperationsMask", 1);
    CDPSession protocol = session.protocol();
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
    return session.page().locator("#bar");
  }

  /// Returns the value of the progress bar, in bytes.
  double sent() {
    return ((Number) bar().evaluate("bar => bar.value")).doubleValue();
  }

  /// Waits until the value of the progress bar is greater than `bytes`.
  void awaitBeyond(double bytes) {
    session
        .page()
        .waitForFunction(
            "([bar, bytes]) => bar.value > bytes", List.of(bar().elementHandle(), bytes));
  }

  /// Waits until the upload is done, or until the page shows another percentage than `percent`.
  void awaitOther(String percent) {
    session
        .page()
        .waitForFunction(
            """
            percent => document.body.dataset.state === 'done'
              || document.querySelector('[data-field=percent]').textContent !== percent
            """,
            percent);
  }

  /// Presses a button, and confirms the question that the page then shows.
  ///
  /// @param yes the label of the button that confirms
  void confirm(String button, String yes) {
    session.button(button).click();
    session.button(yes).click();
  }

  /// Waits until the upload is done. Compares the image's digest with the digest on the page, and
  /// the image with the disk in the volume.
  void assertDone(Path image, String format, VolumeDirectory volume)
      throws IOException, InterruptedException {
    session.awaitState("done");
    assertEquals("100 %", session.field("percent"));
    String sum = Command.run("sha256sum", image.toString());
    assertEquals(sum.substring(0, sum.indexOf(' ')), session.field("sha256"));
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, format, volume.disk());
  }
}
