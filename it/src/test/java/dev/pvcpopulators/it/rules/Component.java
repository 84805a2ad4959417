package dev.pvcpopulators.it.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A third-party library in a bill of materials (CycloneDX 1.6, "components").
///
/// @param name `group:artifact` or `group:artifact:classifier`
/// @param licence SPDX identifiers, or names of licences without an identifier, with `or` between
///   alternatives; empty if the author names no licence
record Component(String name, String version, String licence) {
  private static final Pattern CLASSIFIER = Pattern.compile("[?&]classifier=([^&]*)");

  /// The SPDX identifier of the GPL with the Classpath Exception. A bill of materials contains only
  /// the name of this licence, and not the identifier.
  private static final String CLASSPATH_EXCEPTION = "GPL-2.0-with-classpath-exception";

  /// Returns the third-party libraries of a service.
  ///
  /// @param service the name of its module; the Maven profile `supply` must have written the bill
  ///   of materials
  static List<Component> of(String service) throws IOException {
    List<Component> components = new ArrayList<>();
    JsonNode bill = Json.file(Command.root().resolve(service).resolve("target/bom.json"));
    for (JsonNode component : bill.path("components")) {
      if (!component.path("group").asText().equals("dev.pvcpopulators")) {
        components.add(read(component));
      }
    }
    return components;
  }

  /// Returns the name of the library's file in a packaged service.
  String jar() {
    String[] parts = name.split(":", -1);
    String classifier = parts.length > 2 ? "-" + parts[2] : "";
    return parts[0] + "." + parts[1] + "-" + version + classifier + ".jar";
  }

  private static Component read(JsonNode component) {
    Matcher classifier = CLASSIFIER.matcher(component.path("purl").asText());
    String name = component.path("group").asText() + ":" + component.path("name").asText();
    List<String> licences = new ArrayList<>();
    for (JsonNode entry : component.path("licenses")) {
      licences.add(licence(entry));
    }
    return new Component(
        classifier.find() ? name + ":" + classifier.group(1) : name,
        component.path("version").asText(),
        String.join(" or ", licences));
  }

  private static String licence(JsonNode entry) {
    JsonNode licence = entry.path("license");
    String said =
        licence.path("id").asText(licence.path("name").asText(entry.path("expression").asText()));
    return said.contains("version 2 with the GNU Classpath Exception") ? CLASSPATH_EXCEPTION : said;
  }
}
