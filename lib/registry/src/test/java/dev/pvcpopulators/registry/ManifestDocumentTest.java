package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestDocumentTest {
  private static final String HEX =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  private static final String SHA256 = "sha256:" + HEX;
  private static final String CONFIG = "'config':{'digest':'" + SHA256 + "','size':7}";
  private static final String DESCRIPTOR = "{'digest':'" + SHA256 + "','size':7}";

  // A shortened example from OCI image-spec 1.1, manifest.md. It also contains fields that
  // ManifestDocument ignores.
  private static final String OCI_MANIFEST =
      """
      {'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json',
       'artifactType': 'application/x-disk',
       'config': {'mediaType': 'application/vnd.oci.image.config.v1+json',
                  'digest': 'sha256:HEX', 'size': 7023, 'data': 'e30=',
                  'artifactType': 'x', 'urls': ['https://example.org/']},
       'layers': [{'mediaType': 'application/vnd.oci.image.layer.v1.tar+gzip',
                   'digest': 'sha256:HEX', 'size': 9223372036854775807,
                   'annotations': {'org.opencontainers.image.title': 'disk.raw', 'none': null}},
                  {'mediaType': 'application/vnd.oci.image.layer.v1.tar',
                   'digest': 'sha512:HEXHEX', 'size': 0}],
       'subject': {'mediaType': 'x', 'digest': 'sha256:HEX', 'size': 1},
       'annotations': {'com.example.key1': 'value1'}, 'unknown': [{}]}
      """
          .replace("HEX", HEX);

  @Test
  void readsAnOciManifest() throws IOException {
    Manifest manifest = assertInstanceOf(Manifest.class, read(OCI_MANIFEST));
    Digest digest = Digest.parse(SHA256);
    assertEquals(
        new Manifest(
            "application/vnd.oci.image.manifest.v1+json",
            "application/x-disk",
            new Descriptor("application/vnd.oci.image.config.v1+json", digest, 7023, Map.of()),
            List.of(
                new Descriptor(
                    "application/vnd.oci.image.layer.v1.tar+gzip",
                    digest,
                    Long.MAX_VALUE,
                    Map.of("org.opencontainers.image.title", "disk.raw", "none", "")),
                new Descriptor(
                    "application/vnd.oci.image.layer.v1.tar",
                    Digest.parse("sha512:" + HEX + HEX),
                    0,
                    Map.of())),
            Map.of("com.example.key1", "value1")),
        manifest);
  }

  @Test
  void readsAnIndex() throws IOException {
    ImageIndex index =
        assertInstanceOf(
            ImageIndex.class,
            read(
                """
                {'schemaVersion': 2, 'manifests': [
                  {'mediaType': 'm', 'digest': 'sha256:HEX', 'size': 1, 'artifactType': 'a',
                   'platform': {'os': 'linux', 'architecture': 'arm', 'variant': 'v7',
                                'os.version': '1', 'os.features': ['x'], 'features': ['y']}},
                  {'mediaType': 'm', 'digest': 'sha256:HEX', 'size': 2, 'platform': {}}]}
                """
                    .replace("HEX", HEX)));
    Digest digest = Digest.parse(SHA256);
    assertEquals(
        List.of(
            new ImageIndex.Entry(
                new Descriptor("m", digest, 1, Map.of()),
                Optional.of(new Platform("linux", "arm", "v7")),
                "a"),
            new ImageIndex.Entry(new Descriptor("m", digest, 2, Map.of()), Optional.empty(), "")),
        index.entries());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'layers':null," + CONFIG + "}",
        "{" + CONFIG + "}",
        "{'manifests':null,'layers':[]," + CONFIG + "}",
        "{'schemaVersion':2,'mediaType':'application/json','layers':[]," + CONFIG + "}",
      })
  void tellsAManifestByItsFields(String text) throws IOException {
    assertInstanceOf(Manifest.class, read(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // Each line contains a document and a part of the expected message.
        "{} | 'manifests', or 'config' and 'layers'",
        "{'config':{},'manifests':[]} | either",
        "{'layers':[],'manifests':[]} | either",
        "{'layers':[]} | .config",
        "{'manifests':{}} | .manifests: expected an array, found an object",
        "{'manifests':'x'} | .manifests: expected an array, found \"x\"",
        "{'manifests':[null]} | .manifests[0]: expected a descriptor, found null",
        "{'manifests':[7]} | .manifests[0]: expected an object, found the number 7",
        "{'manifests':[[]]} | .manifests[0]: expected an object, found an array",
        "{'manifests':[{}]} | .manifests[0].digest: expected a digest",
        "{'manifests':[{'digest':5}]} | .manifests[0].digest: expected a string",
        "{'manifests':[{'digest':'sha256:12'}]} | .manifests[0].digest: expected a digest",
        "{'manifests':[{'digest':'x'}]} | .manifests[0].digest: expected a digest",
        "{'manifests':[{'digest':'D','size':-1}]} | .manifests[0].size: expected an integer from 0",
        "{'manifests':[{'digest':'D','size':1.0}]} | .manifests[0].size: expected an integer",
        "{'manifests':[{'digest':'D','size':1e3}]} | .manifests[0].size: expected an integer",
        "{'manifests':[{'digest':'D','size':'1'}]} | .manifests[0].size: expected an integer",
        "{'manifests':[{'digest':'D','size':true}]} | .size: expected an integer from 0",
        "{'manifests':[{'digest':'D'}]} | .manifests[0].size: expected an integer",
        "{'manifests':[{'digest':'D','size':9223372036854775808}]} | found the number 92233720368",
        "{'manifests':[{'digest':'D','size':1,'mediaType':[]}]} | .mediaType: expected a string",
        "{'manifests':[{'digest':'D','size':1,'platform':'linux'}]} | .platform: expected an object",
        "{'manifests':[{'digest':'D','size':1,'platform':{'os':1}}]} | .os: expected a string",
        "{'manifests':[{'digest':'D','size':1,'annotations':[]}]} | .annotations: expected an obj",
        "{'manifests':[{'digest':'D','size':1,'annotations':{'a':1}}]} | .annotations[\"a\"]: exp",
        "{'manifests':[{'digest':'D','size':1,'artifactType':1}]} | .artifactType: expected a str",
        "{'manifests':[],'annotations':{'a':{}}} | .annotations[\"a\"]: expected a string",
        "{'manifests':[],'artifactType':{}} | .artifactType: expected a string",
        "{'manifests':[],'mediaType':2} | .mediaType: expected a string",
        "{'manifests':[],'schemaVersion':'2'} | .schemaVersion: expected an integer",
        "{'layers':[],'config':[]} | .config: expected an object, found an array",
        "{'layers':[{'digest':'D','size':null}],C} | .layers[0].size: expected an integer",
        "{'layers':[],C,'mediaType':'application/vnd.oci.image.index.v1+json'} | 'manifests' in",
        "{'manifests':[],'mediaType':'application/vnd.oci.image.manifest.v1+json'} | 'config' and",
      })
  void refusesWrongValues(String text, String message) {
    String whole = text.replace("C", CONFIG).replace("'D'", "'" + SHA256 + "'");
    MalformedImageException thrown = assertThrows(MalformedImageException.class, () -> read(whole));
    String found = String.valueOf(thrown.getMessage());
    assertTrue(found.contains(message), found);
  }

  @ParameterizedTest
  @CsvSource({
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "Application/Vnd.Oci.Image.Index.V1+JSON; charset=utf-8",
  })
  void refusesAManifestThatWasStoredAsAnIndex(String mediaType) {
    assertThrows(
        MalformedImageException.class, () -> read(mediaType, "{'layers':[]," + CONFIG + "}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'' | {'schemaVersion':1,'fsLayers':[]}",
        "application/vnd.docker.distribution.manifest.v1+prettyjws | {'layers':[]}",
        "'' | {'mediaType':'application/vnd.docker.distribution.manifest.v1+json'}",
        "'' | {'schemaVersion':3,'manifests':[]}",
        "'' | {'manifests':[{'digest':'sha384:00','size':1}]}",
        "'' | {'manifests':[{'digest':'multihash+base58:Qm','size':1}]}",
      })
  void refusesUnsupportedFeatures(String mediaType, String text) {
    assertThrows(UnsupportedFeatureException.class, () -> read(mediaType, text));
  }

  @Test
  void boundsLayersAndEntries() throws IOException {
    assertInstanceOf(Manifest.class, read(manifest(RegistryLimits.LAYERS)));
    assertRefused(manifest(RegistryLimits.LAYERS + 1));
    assertInstanceOf(ImageIndex.class, read(index(RegistryLimits.INDEX_ENTRIES)));
    assertRefused(index(RegistryLimits.INDEX_ENTRIES + 1));
  }

  @Test
  void boundsAnnotations() throws IOException {
    assertInstanceOf(ImageIndex.class, read(annotated(RegistryLimits.ANNOTATIONS, 1, 1)));
    assertRefused(annotated(RegistryLimits.ANNOTATIONS + 1, 1, 1));
    read(annotated(1, RegistryLimits.NAME_LENGTH - 1, 1));
    assertRefused(annotated(1, RegistryLimits.NAME_LENGTH, 1));
    read(annotated(1, 1, RegistryLimits.ANNOTATION_LENGTH));
    assertRefused(annotated(1, 1, RegistryLimits.ANNOTATION_LENGTH + 1));
  }

  @Test
  void showsNoControlCharacters() {
    MalformedImageException thrown =
        assertThrows(
            MalformedImageException.class, () -> read("{'manifests':'\\u001b[2J\\u0000\\n'}"));
    assertTrue(String.valueOf(thrown.getMessage()).endsWith("found \"?[2J??\""));
  }

  private static String manifest(int layers) {
    return "{" + CONFIG + ",'layers':[" + repeated(layers) + "]}";
  }

  private static String index(int entries) {
    return "{'manifests':[" + repeated(entries) + "]}";
  }

  private static String repeated(int count) {
    return IntStream.range(0, count).mapToObj(_ -> DESCRIPTOR).collect(Collectors.joining(","));
  }

  private static String annotated(int count, int nameLength, int valueLength) {
    return IntStream.range(0, count)
        .mapToObj(i -> "'" + i + "k".repeat(nameLength) + "':'" + "v".repeat(valueLength) + "'")
        .collect(Collectors.joining(",", "{'manifests':[],'annotations':{", "}}"));
  }

  private static void assertRefused(String text) {
    MalformedImageException thrown = assertThrows(MalformedImageException.class, () -> read(text));
    assertTrue(String.valueOf(thrown.getMessage()).contains("at most"), thrown.getMessage());
  }

  private static ManifestDocument read(String text) throws IOException {
    return read("", text);
  }

  private static ManifestDocument read(String mediaType, String text) throws IOException {
    byte[] bytes = text.replace('\'', '"').getBytes(UTF_8);
    return ManifestDocument.read(
        RawManifest.parse(mediaType, Digest.of(Digest.Algorithm.SHA256, bytes), bytes));
  }
}
