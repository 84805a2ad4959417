package dev.pvcpopulators.it;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ScreenshotAnimations;
import com.microsoft.playwright.options.ScreenshotCaret;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/// Takes screenshots for the documents if `-Dpictures=DIRECTORY` is set. A palette of the most
/// frequent colours keeps the files small.
final class Pictures {
  private static final String DIRECTORY = System.getProperty("pictures", "");

  /// The document that shows the screenshots.
  private static final Path SHOWN_BY = Path.of("docs", "pages.md");

  private static final int COLOURS = 32;

  /// The maximum height of a screenshot, in pixels.
  private static final int MOST_HEIGHT = 1000;

  private static final int BITS = 8;
  private static final int OPAQUE = 0xFF000000;

  private Pictures() {}

  /// Takes a screenshot of the top of the page if `docs/pages.md` contains the screenshot's file
  /// name.
  static void take(Page page, String name) {
    if (DIRECTORY.isEmpty() || !isShown(name + ".png")) {
      return;
    }
    byte[] png =
        page.screenshot(
            new Page.ScreenshotOptions()
                .setFullPage(true)
                .setAnimations(ScreenshotAnimations.DISABLED)
                .setCaret(ScreenshotCaret.HIDE));
    try {
      Path directory = Files.createDirectories(Command.root().resolve(DIRECTORY));
      BufferedImage whole = ImageIO.read(new ByteArrayInputStream(png));
      int height = Math.min(whole.getHeight(), MOST_HEIGHT);
      BufferedImage picture = indexed(whole.getSubimage(0, 0, whole.getWidth(), height));
      write(picture, directory.resolve(name + ".png"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isShown(String file) {
    try {
      return Files.readString(Command.root().resolve(SHOWN_BY)).contains("/" + file + "\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BufferedImage indexed(BufferedImage full) {
    Map<Integer, Integer> counts = new HashMap<>();
    int[] pixels = full.getRGB(0, 0, full.getWidth(), full.getHeight(), null, 0, full.getWidth());
    for (int pixel : pixels) {
      counts.merge(pixel | OPAQUE, 1, Integer::sum);
    }
    List<Integer> palette =
        counts.entrySet().stream()
            .sorted(
                Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .limit(COLOURS)
            .map(Map.Entry::getKey)
            .toList();
    int[] colours = palette.stream().mapToInt(Integer::intValue).toArray();
    IndexColorModel model =
        new IndexColorModel(BITS, colours.length, colours, 0, false, -1, DataBuffer.TYPE_BYTE);
    BufferedImage small =
        new BufferedImage(
            full.getWidth(), full.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
    Map<Integer, Integer> nearest = new HashMap<>();
    for (int y = 0; y < full.getHeight(); y++) {
      for (int x = 0; x < full.getWidth(); x++) {
        int colour = pixels[y * full.getWidth() + x] | OPAQUE;
        int index = nearest.computeIfAbsent(colour, wanted -> nearest(palette, wanted));
        small.getRaster().setSample(x, y, 0, index);
      }
    }
    return small;
  }

  /// Writes a PNG file with maximum compression.
  private static void write(BufferedImage picture, Path file) throws IOException {
    Files.deleteIfExists(file);
    ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
    try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
      ImageWriteParam smallest = writer.getDefaultWriteParam();
      smallest.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
      smallest.setCompressionQuality(0);
      writer.setOutput(out);
      writer.write(null, new IIOImage(picture, null, null), smallest);
    } finally {
      writer.dispose();
    }
  }

  private static int nearest(List<Integer> palette, int wanted) {
    int best = 0;
    for (int i = 1; i < palette.size(); i++) {
      if (distance(palette.get(i), wanted) < distance(palette.get(best), wanted)) {
        best = i;
      }
    }
    return best;
  }

  private static int distance(int colour, int other) {
    int sum = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
      int difference = (colour >> shift & 0xFF) - (other >> shift & 0xFF);
      sum += difference * difference;
    }
    return sum;
  }
}
